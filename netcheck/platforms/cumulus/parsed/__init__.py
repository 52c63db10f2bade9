"""What NVUE and switchd texts say."""

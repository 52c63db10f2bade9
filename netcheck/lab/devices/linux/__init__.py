"""Linux hosts with mlx5 adapters."""

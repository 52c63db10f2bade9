"""Reading SONiC: texts into tables, tables into a device."""

"""What concerns tools on every wire: names, ids, schemas, arguments, and calls written as text."""

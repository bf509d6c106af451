"""The database backend of Django for sealed databases: `"ENGINE": "sealite.django"`."""

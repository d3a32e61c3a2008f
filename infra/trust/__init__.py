"""What AURA is made of, and what is known against it: bills of materials, and audits of all pinned packages."""

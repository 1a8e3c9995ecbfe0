"""Many tables stepped together: the loops over records, threads, policies, `Tables`."""

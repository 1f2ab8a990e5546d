# Fails if an option of PACKAGECONFIG excludes another one: its sixth field.
python () {
    chosen = (d.getVar("PACKAGECONFIG") or "").split()
    for option, value in sorted((d.getVarFlags("PACKAGECONFIG") or {}).items()):
        fields = value.split(",")
        excluded = fields[5].split() if option in chosen and len(fields) > 5 else []
        for other in set(excluded) & set(chosen):
            bb.fatal("PACKAGECONFIG: %s excludes %s" % (option, other))
}

bbnote() {
    echo "$*"
}

base_do_configure() {
    true
}

base_do_compile() {
    true
}

base_do_install() {
    true
}

EXPORT_FUNCTIONS do_configure do_compile do_install

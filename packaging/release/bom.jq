# Makes a bill of materials (CycloneDX 1.5) of the packages in the arguments from the output of `cargo metadata` and Cargo.lock.
def purl: "pkg:cargo/\(.name)@\(.version)";

(.packages | INDEX(.id)) as $packages
# What each one needs to run.
| (.resolve.nodes | INDEX(.id) | map_values([.deps[] | select(any(.dep_kinds[]; .kind == null)) | .pkg])) as $needs
| ([$lock | scan("name = \"(.*)\"\nversion = \"(.*)\"\nsource = .*\nchecksum = \"(.*)\"") | {key: "\(.[0]) \(.[1])", value: .[2]}] | from_entries) as $sums
| def closure: . as $ids | ([.[], $needs[.[]][]] | unique) | if . == $ids then . else closure end;
  ([.packages[] | select(.name | IN($ARGS.positional[])) | .id] | unique | closure) as $ids
| {
    "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    version: 1,
    metadata: {component: {type: "application", name: "vkload downloads", version: $version}},
    components: [$packages[$ids[]] | {
        type: "library", "bom-ref": purl, name, version, purl: purl,
        # Older crates separate alternatives by a slash.
        licenses: [{expression: .license | gsub("/"; " OR ")}]
    } + ($sums["\(.name) \(.version)"] | if . then {hashes: [{alg: "SHA-256", content: .}]} else {} end)],
    dependencies: [$ids[] | {ref: $packages[.] | purl, dependsOn: [$packages[$needs[.][]] | purl] | unique}]
}

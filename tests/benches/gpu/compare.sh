#!/bin/sh
# Compares two loaders on this machine's driver: compare.sh MEASURE OURS THEIRS [TURNS]. The two take turns, and the medians
# of all turns are printed as rows of a table. Build MEASURE with: cc -O2 -o measure measure.c -ldl
set -eu
measure=$1 ours=$2 theirs=$3 turns=${4:-21}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
turn=0
while [ "$turn" -lt "$turns" ]; do
    "$measure" "$ours" >>"$folder/ours" 2>"$folder/device"
    "$measure" "$theirs" >>"$folder/theirs" 2>/dev/null
    turn=$((turn + 1))
done
median() {
    awk -F'\t' -v name="$2" '$2 == name { print $1 }' "$1" | sort -n | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'
}
echo "$(cat "$folder/device"); medians of $turns turns"
echo "| microseconds | theirs | ours | ratio |"
echo "|---|---:|---:|---:|"
awk -F'\t' '!seen[$2]++ { print $2 }' "$folder/ours" | while read -r name; do
    awk -v name="$name" -v theirs="$(median "$folder/theirs" "$name")" -v ours="$(median "$folder/ours" "$name")" \
        'BEGIN { printf "| %s | %.3f | %.3f | %.2f |\n", name, theirs / 1000, ours / 1000, ours / theirs }'
done

#!/usr/bin/env bash
# Makes the base of the Dockerfile for machines without an image registry, from Debian's packages and Node's of npm.
# As root, with buildah and debootstrap: node-image.sh amd64|arm64 VERSION
set -euo pipefail
base=localhost/node:24-slim
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mirror=$(grep -hm 1 '^URIs' /etc/apt/sources.list.d/debian.sources | awk '{print $2}')
# Packages for another processor are unpacked, and nothing of them is run.
foreign=()
[ "$1" = "$(dpkg --print-architecture)" ] || foreign=(--foreign)
debootstrap "${foreign[@]}" --arch="$1" --variant=minbase --include=ca-certificates bookworm "$work/root" "$mirror" >/dev/null
node=$(npm pack --silent --pack-destination "$work" "node-linux-${1/amd64/x64}@$2")
tar -xzf "$work/$node" -C "$work" package/bin/node
install -D "$work/package/bin/node" "$work/root/usr/local/bin/node"
mkdir -p "$work/root/usr/local/lib/node_modules"
cp -a "$(npm root -g)/npm" "$work/root/usr/local/lib/node_modules/"
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$work/root/usr/local/bin/npm"
echo 'node:x:1000:1000::/home/node:/bin/sh' >>"$work/root/etc/passwd"
echo 'node:x:1000:' >>"$work/root/etc/group"
install -d -o 1000 -g 1000 "$work/root/home/node"
# The build may only reach what this machine reaches.
install -D -m 644 /etc/ssl/certs/ca-certificates.crt "$work/root/etc/ssl/certs/ca-certificates.crt"
container=$(buildah from --arch "$1" scratch)
buildah add -q "$container" "$work/root" / >/dev/null
buildah config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
  --env "NPM_CONFIG_REGISTRY=$(npm config get registry)" \
  --env NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt "$container"
buildah commit -q "$container" "localhost/node-24-slim:$1" >/dev/null
buildah rm "$container" >/dev/null
buildah manifest exists "$base" || buildah manifest create "$base" >/dev/null
buildah manifest add "$base" "localhost/node-24-slim:$1" >/dev/null

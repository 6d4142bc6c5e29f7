#!/usr/bin/env bash
# Makes the base of the Dockerfile for machines without an image registry, from Debian's packages and the Node that is given.
# As root, with buildah and debootstrap: node-image.sh NODE
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mirror=$(grep -hm 1 '^URIs' /etc/apt/sources.list.d/debian.sources | awk '{print $2}')
debootstrap --variant=minbase --include=ca-certificates bookworm "$work" "$mirror" >/dev/null
install "$1" "$work/usr/local/bin/node"
mkdir -p "$work/usr/local/lib/node_modules"
cp -a "$(npm root -g)/npm" "$work/usr/local/lib/node_modules/"
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$work/usr/local/bin/npm"
chroot "$work" sh -c 'groupadd node && useradd -g node -m node'
# The build may only reach what this machine reaches.
cp -L /etc/ssl/certs/ca-certificates.crt "$work/etc/ssl/certs/"
container=$(buildah from scratch)
buildah add -q "$container" "$work" / >/dev/null
buildah config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
  --env "NPM_CONFIG_REGISTRY=$(npm config get registry)" \
  --env NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt "$container"
buildah commit -q "$container" docker.io/library/node:24-slim >/dev/null
buildah rm "$container" >/dev/null

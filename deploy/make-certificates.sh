#!/usr/bin/env bash
# Certificates for the three nodes of docker-compose.yml, from an authority of their own. Existing files are kept: to get a new
# certificate, delete the volume of the node's old one.
set -euo pipefail
umask 077
cd "${CERTIFICATES:-/certificates}"
# The account that EventStoreDB runs under.
owner="${CERTIFICATES_OWNER:-1000:1000}"

if [ ! -e authority/ca.key ]; then
  es-gencert-cli create-ca -out "$PWD/authority/new"
  mv authority/new/ca.crt authority/ca.crt
  # The key comes last: it says that the authority is complete.
  mv authority/new/ca.key authority/ca.key
  rmdir authority/new
fi
# Readable for all: nodes and clients check each other's certificates with it.
cp authority/ca.crt ca/ca.crt
chmod 755 ca
chmod 644 ca/ca.crt

for node in eventstore-1 eventstore-2 eventstore-3; do
  [ ! -e "$node/node.crt" ] || continue
  es-gencert-cli create-node -ca-certificate "$PWD/authority/ca.crt" -ca-key "$PWD/authority/ca.key" \
    -out "$PWD/$node/new" -dns-names "$node,localhost" -ip-addresses 127.0.0.1
  chown "$owner" "$node/new/node.key" "$node/new/node.crt"
  mv "$node/new/node.key" "$node/node.key"
  mv "$node/new/node.crt" "$node/node.crt"
  rmdir "$node/new"
  # Last, because after this we can no longer change the folder.
  chown "$owner" "$node"
done

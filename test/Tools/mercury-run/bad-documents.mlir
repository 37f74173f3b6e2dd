// Documents that are arguments are checked when ranks run: exit code 3, in the
// words that constants get when they are compiled (bad-masks.mlir).

// RUN: mercury-run %s --entry=numbers --topology=gpu=1 --save 0=%t.good.npy --save 1=%t.long.npy --save 2=%t.short.npy --save 3=%t.negative.npy --save 4=%t.segments.npy --save 5=%t.decrease.npy --save 6=%t.second.npy | FileCheck %s --check-prefix=SAVED
// SAVED: rank

// RUN: mercury-run %s --entry=lengths --topology=gpu=1 --schedule=ring --local=loops --arg 3=%t.good.npy --verify | FileCheck %s --check-prefix=GOOD
// RUN: mercury-run %s --entry=lengths --topology=gpu=4 --schedule=ring --local=loops --arg 3=%t.good.npy --verify --strict | FileCheck %s --check-prefix=GOOD
// RUN: mercury-run %s --entry=lengths --topology=gpu=4 --schedule=ring --local=loops --target=emulated --arg 3=%t.good.npy --verify | FileCheck %s --check-prefix=GOOD
// RUN: mercury-run %s --entry=segments --topology=gpu=4 --schedule=ring --local=loops --arg 3=%t.segments.npy --verify | FileCheck %s --check-prefix=GOOD
// RUN: mercury-run %s --entry=segments --topology=gpu=4 --schedule=ring --local=loops --target=emulated --arg 3=%t.segments.npy --verify | FileCheck %s --check-prefix=GOOD
// GOOD: ring {{.*}} verified

// RUN: sh -c 'mercury-run %s --entry=lengths --topology=gpu=1 --schedule=ring --local=loops --arg 3=%t.long.npy --verify 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=LONG --implicit-check-not=verified
// RUN: sh -c 'mercury-run %s --entry=lengths --topology=gpu=4 --schedule=ring --local=loops --arg 3=%t.long.npy --verify 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=LONG --implicit-check-not=verified
// RUN: sh -c 'mercury-run %s --entry=lengths --topology=gpu=4 --schedule=ring --local=loops --target=emulated --arg 3=%t.long.npy --verify 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=LONG --implicit-check-not=verified
// LONG: mercury-run: error: rank {{[0-3]}}: check_documents at {{.*}}bad-documents.mlir:[[# @LINE + 37]]:18: lengths of documents sum to 40 keys, but attention has 32
// LONG-NEXT: exit 3

// RUN: sh -c 'mercury-run %s --entry=lengths --topology=gpu=4 --schedule=ring --local=loops --arg 3=%t.short.npy --verify 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=SHORT --implicit-check-not=verified
// RUN: sh -c 'mercury-run %s --entry=lengths --topology=gpu=4 --schedule=ring --target=emulated --kernels=simt --arg 3=%t.short.npy --verify 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=SHORT --implicit-check-not=verified
// SHORT: mercury-run: error: rank {{[0-3]}}: {{.*}}: lengths of documents sum to 31 keys, but attention has 32
// SHORT-NEXT: exit 3

// RUN: sh -c 'mercury-run %s --entry=lengths --topology=gpu=1 --schedule=ring --local=loops --arg 3=%t.negative.npy --verify 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=NEGATIVE --implicit-check-not=verified
// RUN: sh -c 'mercury-run %s --entry=lengths --topology=gpu=4 --schedule=ring --local=loops --target=emulated --arg 3=%t.negative.npy --verify 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=NEGATIVE --implicit-check-not=verified
// NEGATIVE: mercury-run: error: rank {{[0-3]}}: {{.*}}: length of document 1 is -3
// NEGATIVE-NEXT: exit 3

// RUN: sh -c 'mercury-run %s --entry=segments --topology=gpu=1 --schedule=ring --local=loops --arg 3=%t.decrease.npy --verify 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=DECREASE --implicit-check-not=verified
// RUN: sh -c 'mercury-run %s --entry=segments --topology=gpu=4 --schedule=ring --local=loops --arg 3=%t.decrease.npy --verify 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=DECREASE --implicit-check-not=verified
// RUN: sh -c 'mercury-run %s --entry=segments --topology=gpu=4 --schedule=ring --local=loops --target=emulated --arg 3=%t.decrease.npy --verify 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=DECREASE --implicit-check-not=verified
// DECREASE: mercury-run: error: rank {{[0-3]}}: {{.*}}: segments decrease: that of key 7 is 0 after 1
// DECREASE-NEXT: exit 3

// Sequences stay whole on every rank, so that all ranks say the same.
// RUN: sh -c 'mercury-run %s --entry=sequences --topology=gpu=1 --schedule=ring --local=loops --arg 3=%t.second.npy --verify 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=SECOND --implicit-check-not=verified
// RUN: sh -c 'mercury-run %s --entry=sequences --topology=gpu=4 --schedule=ring --local=loops --arg 3=%t.second.npy --verify --strict 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=SECOND --implicit-check-not=verified
// RUN: sh -c 'mercury-run %s --entry=sequences --topology=node=2,gpu=2 --schedule=usp --local=loops --target=emulated --arg 3=%t.second.npy --verify 2>&1; echo "exit $?"' | FileCheck %s --check-prefix=SECOND --implicit-check-not=verified
// SECOND: mercury-run: error: rank {{[0-3]}}: {{.*}}: sequence 1: lengths of documents sum to 34 keys, but attention has 32
// SECOND-NEXT: exit 3

#q = affine_map<(h, m, n, d, e) -> (h, m, d)>
#k = affine_map<(h, m, n, d, e) -> (h, n, d)>
#v = affine_map<(h, m, n, d, e) -> (h, n, e)>
#o = affine_map<(h, m, n, d, e) -> (h, m, e)>
#r = affine_map<(h, m, n, d, e) -> (m)>
#own = affine_map<(h, m, n, d, e) -> (h, m)>
!tokens = tensor<4x32x8xf32>
!bounds = tensor<32xi32>
!sequences = tensor<4x32xi32>

func.func @lengths(%q: !tokens, %k: !tokens, %v: !tokens, %lengths: tensor<3xi32>) -> !tokens {
  %begin, %end = commir.document_ranges lengths(%lengths : tensor<3xi32>) -> !bounds, !bounds
  %init = tensor.empty() : !tokens
  %o = commir.attention maps [#q, #k, #v, #r, #r, #o] ins(%q, %k, %v : !tokens, !tokens, !tokens)
         key_range(%begin, %end : !bounds, !bounds) outs(%init : !tokens) -> !tokens
  return %o : !tokens
}

func.func @segments(%q: !tokens, %k: !tokens, %v: !tokens, %ids: !bounds) -> !tokens {
  %begin, %end = commir.document_ranges segments(%ids : !bounds) -> !bounds, !bounds
  %init = tensor.empty() : !tokens
  %o = commir.attention maps [#q, #k, #v, #r, #r, #o] ins(%q, %k, %v : !tokens, !tokens, !tokens)
         visible <right 0> key_range(%begin, %end : !bounds, !bounds) outs(%init : !tokens) -> !tokens
  return %o : !tokens
}

func.func @sequences(%q: !tokens, %k: !tokens, %v: !tokens, %lengths: tensor<4x2xi32>) -> !tokens {
  %begin, %end = commir.document_ranges lengths(%lengths : tensor<4x2xi32>) -> !sequences, !sequences
  %init = tensor.empty() : !tokens
  %o = commir.attention maps [#q, #k, #v, #own, #own, #o] ins(%q, %k, %v : !tokens, !tokens, !tokens)
         key_range(%begin, %end : !sequences, !sequences) outs(%init : !tokens) -> !tokens
  return %o : !tokens
}

func.func @numbers() -> (tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, !bounds, !bounds, tensor<4x2xi32>) {
  %good = arith.constant dense<[10, 0, 22]> : tensor<3xi32>
  %long = arith.constant dense<[10, 8, 22]> : tensor<3xi32>
  %short = arith.constant dense<[10, 0, 21]> : tensor<3xi32>
  %negative = arith.constant dense<[10, -3, 25]> : tensor<3xi32>
  %segments = arith.constant dense<[0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4]> : !bounds
  %decrease = arith.constant dense<[0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 1, 1, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4]> : !bounds
  %second = arith.constant dense<[[10, 22], [12, 22], [32, 0], [-1, 2]]> : tensor<4x2xi32>
  return %good, %long, %short, %negative, %segments, %decrease, %second
    : tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, !bounds, !bounds, tensor<4x2xi32>
}

// RUN: not mercury-opt %s --mercury-vectorize-attention="vector-bits=100" 2>&1 | FileCheck %s --check-prefix=BITS
// RUN: not mercury-opt %s --mercury-vectorize-attention="block-queries=-1" 2>&1 | FileCheck %s --check-prefix=QUERIES
// RUN: not mercury-opt %s --mercury-vectorize-attention="block-keys=-5" 2>&1 | FileCheck %s --check-prefix=KEYS

// BITS: error: option 'vector-bits' is 100, expected 0, 128, 256 or 512
// QUERIES: error: option 'block-queries' is -1, expected 0 or a positive number
// KEYS: error: option 'block-keys' is -5, expected 0 or a positive number
func.func @nothing() {
  return
}

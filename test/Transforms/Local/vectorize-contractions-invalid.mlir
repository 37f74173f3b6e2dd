// RUN: not mercury-opt %s --mercury-vectorize-contractions="vector-bits=100" 2>&1 | FileCheck %s

// CHECK: error: option 'vector-bits' is 100, expected 0, 128, 256 or 512
func.func @nothing() {
  return
}

// What count-in-loops.py has to find: an allocation and a copy in nested loops.
// Those outside of loops do not count.
func.func @copies_in_loops(%a: memref<8xf32>, %b: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %x = memref.alloc() : memref<8xf32>
  memref.copy %a, %x : memref<8xf32> to memref<8xf32>
  scf.for %t = %c0 to %c4 step %c1 {
    %y = memref.alloc() : memref<8xf32>
    scf.for %u = %c0 to %c4 step %c1 {
      memref.copy %x, %y : memref<8xf32> to memref<8xf32>
    }
    memref.dealloc %y : memref<8xf32>
  }
  memref.copy %x, %b : memref<8xf32> to memref<8xf32>
  memref.dealloc %x : memref<8xf32>
  return
}

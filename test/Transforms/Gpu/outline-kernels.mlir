// RUN: mercury-opt --split-input-file --mercury-outline-kernels %s | FileCheck %s

// The reductions of a softmax and what is between them are one kernel.
// CHECK-LABEL: func.func @softmax(
// CHECK-SAME:    %[[X:.*]]: memref<16x64xf32>, %[[Y:.*]]: memref<16x64xf32>)
// CHECK:         %[[M:.*]] = memref.alloc
// CHECK:         %[[S:.*]] = memref.alloc
// CHECK-NEXT:    commir.launch @softmax_reduction_0 ins(%[[X]] : memref<16x64xf32>)
// CHECK-SAME:      outs(%[[M]], %[[Y]], %[[S]] : memref<16xf32>, memref<16x64xf32>, memref<16xf32>)
// CHECK-NOT:     commir.launch
// CHECK:         return
// CHECK:       func.func private @softmax_reduction_0(
// CHECK-SAME:    %{{.*}}: memref<16x64xf32> {llvm.align = 16 : i64}
// CHECK-SAME:    attributes {commir.kernel}
// CHECK:         linalg.fill
// CHECK-COUNT-2: linalg.generic
// CHECK:         linalg.fill
// CHECK-COUNT-2: linalg.generic
// CHECK:         return
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @softmax(%x: memref<16x64xf32>, %y: memref<16x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %max = memref.alloc() : memref<16xf32>
  linalg.fill ins(%low : f32) outs(%max : memref<16xf32>)
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<16x64xf32>) outs(%max : memref<16xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maximumf %in, %out : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : memref<16x64xf32>, memref<16xf32>) outs(%y : memref<16x64xf32>) {
  ^bb0(%in: f32, %m: f32, %out: f32):
    %0 = arith.subf %in, %m : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  }
  %sum = memref.alloc() : memref<16xf32>
  linalg.fill ins(%zero : f32) outs(%sum : memref<16xf32>)
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%y : memref<16x64xf32>) outs(%sum : memref<16xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%sum : memref<16xf32>) outs(%y : memref<16x64xf32>) {
  ^bb0(%s: f32, %out: f32):
    %0 = arith.divf %out, %s : f32
    linalg.yield %0 : f32
  }
  memref.dealloc %max : memref<16xf32>
  memref.dealloc %sum : memref<16xf32>
  return
}

// -----

// A block cannot have the rows and the columns of what one op writes and another
// reads both ways, and the array is too large for one block.
// CHECK-LABEL: func.func @symmetric(
// CHECK:         commir.launch @symmetric_elementwise_0
// CHECK-NEXT:    commir.launch @symmetric_elementwise_1
// CHECK-NEXT:    return
#id = affine_map<(i, j) -> (i, j)>
#t = affine_map<(i, j) -> (j, i)>
func.func @symmetric(%x: memref<128x128xf32>, %y: memref<128x128xf32>, %z: memref<128x128xf32>) {
  linalg.exp ins(%x : memref<128x128xf32>) outs(%y : memref<128x128xf32>)
  linalg.generic {indexing_maps = [#id, #t, #id], iterator_types = ["parallel", "parallel"]}
      ins(%y, %y : memref<128x128xf32>, memref<128x128xf32>) outs(%z : memref<128x128xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// One block is enough for a small one.
// CHECK-LABEL: func.func @small_symmetric(
// CHECK:         commir.launch @small_symmetric_elementwise_0
// CHECK-NEXT:    return
#id = affine_map<(i, j) -> (i, j)>
#t = affine_map<(i, j) -> (j, i)>
func.func @small_symmetric(%x: memref<16x16xf32>, %y: memref<16x16xf32>, %z: memref<16x16xf32>) {
  linalg.exp ins(%x : memref<16x16xf32>) outs(%y : memref<16x16xf32>)
  linalg.generic {indexing_maps = [#id, #t, #id], iterator_types = ["parallel", "parallel"]}
      ins(%y, %y : memref<16x16xf32>, memref<16x16xf32>) outs(%z : memref<16x16xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// Loops are matched by what they access, in any order.
// CHECK-LABEL: func.func @transposed(
// CHECK:         commir.launch @transposed_elementwise_0
// CHECK-NEXT:    return
#t = affine_map<(i, j) -> (j, i)>
func.func @transposed(%x: memref<128x128xf32>, %y: memref<128x128xf32>, %z: memref<128x128xf32>) {
  linalg.exp ins(%x : memref<128x128xf32>) outs(%y : memref<128x128xf32>)
  linalg.generic {indexing_maps = [#t, #t], iterator_types = ["parallel", "parallel"]}
      ins(%y : memref<128x128xf32>) outs(%z : memref<128x128xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.negf %in : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// Views of one buffer that the kernel writes are made inside, from the buffer.
// CHECK-LABEL: func.func @views(
// CHECK-SAME:    %[[X:.*]]: memref<8x40xf32>, %[[Y:.*]]: memref<8x40xf32>)
// CHECK:         %[[S:.*]] = memref.alloc() : memref<8xf32>
// CHECK:         commir.launch @views_reduction_0 ins(%[[X]] : memref<8x40xf32>) outs(%[[S]], %[[Y]] :
// CHECK-NEXT:    memref.dealloc %[[S]]
// CHECK:       func.func private @views_reduction_0(%{{.*}}: {{.*}}, %[[S:.*]]: memref<8xf32> {{.*}}, %{{.*}}: memref<8x40xf32>
// CHECK:         %[[V:.*]] = memref.reinterpret_cast %[[S]] to offset: [0], sizes: [8, 1], strides: [1, 1]
// CHECK:         linalg.reduce {{.*}} outs(%[[S]]
// CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %[[V]]
#col = affine_map<(i, j) -> (i, 0)>
#full = affine_map<(i, j) -> (i, j)>
func.func @views(%x: memref<8x40xf32>, %y: memref<8x40xf32>) {
  %zero = arith.constant 0.0 : f32
  %s = memref.alloc() : memref<8xf32>
  linalg.fill ins(%zero : f32) outs(%s : memref<8xf32>)
  linalg.reduce { arith.addf } ins(%x : memref<8x40xf32>) outs(%s : memref<8xf32>) dimensions = [1]
  %v = memref.expand_shape %s [[0, 1]] output_shape [8, 1] : memref<8xf32> into memref<8x1xf32>
  linalg.generic {indexing_maps = [#full, #col, #full], iterator_types = ["parallel", "parallel"]}
      ins(%x, %v : memref<8x40xf32>, memref<8x1xf32>) outs(%y : memref<8x40xf32>) {
  ^bb0(%in: f32, %m: f32, %out: f32):
    %0 = arith.mulf %in, %m : f32
    linalg.yield %0 : f32
  }
  memref.dealloc %s : memref<8xf32>
  return
}

// -----

// A contraction and what stands before and after it; kernels that are alike are
// one function.
// CHECK-LABEL: func.func @contraction(
// CHECK:         commir.launch @contraction_fill_0
// CHECK-NEXT:    commir.launch @contraction_contraction_0
// CHECK-NEXT:    commir.launch @contraction_fill_0
// CHECK-NEXT:    commir.launch @contraction_contraction_0
// CHECK-NEXT:    return
// CHECK:       func.func private @contraction_fill_0
// CHECK:       func.func private @contraction_contraction_0
// CHECK:         linalg.matmul
// CHECK-NOT:   func.func
func.func @contraction(%a: memref<64x32xbf16>, %b: memref<32x64xbf16>, %c: memref<64x64xf32>, %d: memref<64x64xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<64x64xf32>)
  linalg.matmul ins(%a, %b : memref<64x32xbf16>, memref<32x64xbf16>) outs(%c : memref<64x64xf32>)
  linalg.fill ins(%zero : f32) outs(%d : memref<64x64xf32>)
  linalg.matmul ins(%a, %b : memref<64x32xbf16>, memref<32x64xbf16>) outs(%d : memref<64x64xf32>)
  return
}

// -----

// Work between communication stays there; numbers of the host are passed by
// value; alignments follow offsets.
// CHECK-LABEL: func.func @loop(
// CHECK:         scf.for %[[I:.*]] =
// CHECK:           commir.hop
// CHECK:           %[[V:.*]] = memref.subview
// CHECK:           %[[W:.*]] = memref.subview
// CHECK:           %[[N:.*]] = arith.index_cast %[[I]] : index to i32
// CHECK:           %[[F:.*]] = arith.sitofp %[[N]] : i32 to f32
// CHECK:           commir.launch @loop_elementwise_0 ins(%[[V]], %[[W]], %[[F]] : memref<8xf32, strided<[1], offset: ?>>, memref<8xf32, strided<[1], offset: ?>>, f32) outs(
// CHECK-NEXT:      commir.wait
// CHECK-NEXT:      commir.launch @loop_copy_0
// CHECK:       func.func private @loop_elementwise_0(
// CHECK-SAME:    %{{.*}}: memref<8xf32> {llvm.align = 16 : i64}, %{{.*}}: memref<8xf32> {llvm.align = 8 : i64}, %{{.*}}: f32
commir.topology @machine levels [#commir.level<gpu, 2>]
func.func @loop(%x: memref<64xf32>, %y: memref<8xf32>, %other: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    commir.hop %x into %other by [#commir.hop<{gpu} by 1>] request 0 : memref<64xf32> into memref<64xf32>
    %at = affine.apply affine_map<(d0) -> (d0 * 8)>(%i)
    %v = memref.subview %x[%at] [8] [1] : memref<64xf32> to memref<8xf32, strided<[1], offset: ?>>
    %two = affine.apply affine_map<(d0) -> (d0 * 8 + 2)>(%i)
    %w = memref.subview %x[%two] [8] [1] : memref<64xf32> to memref<8xf32, strided<[1], offset: ?>>
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    linalg.map ins(%v, %w : memref<8xf32, strided<[1], offset: ?>>, memref<8xf32, strided<[1], offset: ?>>) outs(%y : memref<8xf32>)
      (%a: f32, %b: f32, %out: f32) {
        %0 = arith.mulf %a, %f : f32
        %1 = arith.addf %0, %b : f32
        linalg.yield %1 : f32
      }
    commir.wait 0 for %x, %other : memref<64xf32>, memref<64xf32>
    memref.copy %other, %x : memref<64xf32> to memref<64xf32>
  }
  return
}

// -----

#m = affine_map<(m) -> (m)>
#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#r = affine_map<(m, n, d, e) -> (m)>
#o = affine_map<(m, n, d, e) -> (m, e)>

// Ranges of keys are a kernel of their own, which is told where the tile is.
// CHECK-LABEL: func.func @ranges(
// CHECK:         scf.for %[[I:.*]] =
// CHECK-NEXT:      %[[START:.*]] = arith.muli %[[I]],
// CHECK-NEXT:      commir.launch @ranges_elementwise_0 ins(%[[START]] : index) outs(%[[B:.*]], %[[E:.*]] : memref<8xi32>, memref<8xi32>)
// CHECK-NEXT:      commir.launch @ranges_attention_0 ins(%{{.*}}, %{{.*}}, %{{.*}}, %[[B]], %[[E]] :
// CHECK:       func.func private @ranges_elementwise_0(%{{.*}}: index,
func.func @ranges(%q: memref<8x4xf32>, %k: memref<16x4xf32>, %v: memref<16x4xf32>, %a: memref<8x4xf32>,
                  %max: memref<8xf32>, %sum: memref<8xf32>, %b: memref<8xi32>, %e: memref<8xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %start = arith.muli %i, %c16 : index
    linalg.generic {indexing_maps = [#m, #m], iterator_types = ["parallel"]} outs(%b, %e : memref<8xi32>, memref<8xi32>) {
    ^bb0(%begin: i32, %end: i32):
      %row = linalg.index 0 : index
      %behind = arith.subi %row, %start : index
      %some = arith.maxsi %behind, %c0 : index
      %cut = arith.minsi %some, %c16 : index
      %none = arith.index_cast %c0 : index to i32
      %last = arith.index_cast %cut : index to i32
      linalg.yield %none, %last : i32, i32
    }
    commir.online_attention maps [#q, #k, #v, #r, #r, #o, #r, #r]
      ins(%q, %k, %v : memref<8x4xf32>, memref<16x4xf32>, memref<16x4xf32>)
      key_range(%b, %e : memref<8xi32>, memref<8xi32>)
      outs(%a, %max, %sum : memref<8x4xf32>, memref<8xf32>, memref<8xf32>)
  }
  return
}

// -----

// Constants are made inside; one that a contraction reads is copied to a buffer.
// CHECK-LABEL: func.func @constants(
// CHECK:         %[[W:.*]] = memref.get_global @weights
// CHECK:         %[[B:.*]] = memref.alloc() {commir.memory_class = "workspace"} : memref<8x8xf32>
// CHECK:         commir.launch @constants_elementwise_0 outs(%[[B]], %{{.*}} : memref<8x8xf32>, memref<8x8xf32>)
// CHECK-NEXT:    commir.launch @constants_contraction_0 ins(%{{.*}}, %[[B]] :
// CHECK-NEXT:    memref.dealloc %[[B]]
// CHECK:       func.func private @constants_elementwise_0(
// CHECK:         %[[W:.*]] = memref.get_global @weights
// CHECK:         %[[S:.*]] = memref.get_global @bias
// CHECK:         memref.copy %[[W]]
// CHECK:         linalg.generic {{.*}} ins(%[[S]]
memref.global "private" constant @weights : memref<8x8xf32> = dense<2.0>
memref.global "private" constant @bias : memref<8xf32> = dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]>
func.func @constants(%a: memref<8x8xf32>, %c: memref<8x8xf32>) {
  %w = memref.get_global @weights : memref<8x8xf32>
  %s = memref.get_global @bias : memref<8xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%s : memref<8xf32>) outs(%c : memref<8x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %in : f32
    linalg.yield %0 : f32
  }
  linalg.matmul ins(%a, %w : memref<8x8xf32>, memref<8x8xf32>) outs(%c : memref<8x8xf32>)
  return
}

// -----

// A table of indices is read by the host.
// CHECK-LABEL: func.func @table(
// CHECK:         %[[T:.*]] = memref.get_global @offsets
// CHECK:         %[[O:.*]] = memref.load %[[T]]
// CHECK:         memref.subview %{{.*}}[%[[O]]]
// CHECK:         commir.launch @table_copy_0
// CHECK:       func.func private @table_copy_0(%{{.*}}: memref<4xf32> {llvm.align = 8 : i64}
memref.global "private" constant @offsets : memref<2xindex> = dense<[2, 6]>
func.func @table(%i: index, %x: memref<16xf32>, %y: memref<4xf32>) {
  %t = memref.get_global @offsets : memref<2xindex>
  %o = memref.load %t[%i] : memref<2xindex>
  %v = memref.subview %x[%o] [4] [1] : memref<16xf32> to memref<4xf32, strided<[1], offset: ?>>
  memref.copy %v, %y : memref<4xf32, strided<[1], offset: ?>> to memref<4xf32>
  return
}

// -----

// Work on nothing is nothing.
// CHECK-LABEL: func.func @empty(
// CHECK-NEXT:    return
func.func @empty(%x: memref<0x4xf32>, %y: memref<0x4xf32>) {
  linalg.exp ins(%x : memref<0x4xf32>) outs(%y : memref<0x4xf32>)
  return
}

// -----

// What a buffer is written with must be launched before it is freed; buffers
// that loops exchange may be one.
// CHECK-LABEL: func.func @exchanged(
// CHECK:         scf.for
// CHECK:           commir.launch @exchanged_elementwise_0
// CHECK-NEXT:      commir.launch @exchanged_elementwise_0
// CHECK-NEXT:      scf.yield
func.func @exchanged(%x: memref<128x128xf32>, %y: memref<128x128xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (memref<128x128xf32>, memref<128x128xf32>) {
    linalg.exp ins(%a : memref<128x128xf32>) outs(%b : memref<128x128xf32>)
    linalg.exp ins(%b : memref<128x128xf32>) outs(%a : memref<128x128xf32>)
    scf.yield %b, %a : memref<128x128xf32>, memref<128x128xf32>
  }
  return
}

// -----

// An op with a kernel of its own is alone, whatever it is.
// CHECK-LABEL: func.func @patched(
// CHECK:         commir.launch @patched_elementwise_0
// CHECK-NEXT:    commir.launch @patched_patched_0
// CHECK:       func.func private @patched_patched_0
// CHECK:         linalg.exp {commir.patch = "mine"}
func.func @patched(%x: memref<8xf32>, %y: memref<8xf32>) {
  linalg.exp ins(%x : memref<8xf32>) outs(%x : memref<8xf32>)
  linalg.exp {commir.patch = "mine"} ins(%x : memref<8xf32>) outs(%y : memref<8xf32>)
  return
}

// -----

// A view that is shifted by one element: other threads write what one reads.
// CHECK-LABEL: func.func @shifted(
// CHECK:         commir.launch @shifted_elementwise_0
// CHECK-NEXT:    commir.launch @shifted_elementwise_1
// CHECK-NEXT:    return
func.func @shifted(%x: memref<40000xf32>, %y: memref<40000xf32>) {
  %v = memref.subview %y[0] [39999] [1] : memref<40000xf32> to memref<39999xf32, strided<[1]>>
  %w = memref.subview %y[1] [39999] [1] : memref<40000xf32> to memref<39999xf32, strided<[1], offset: 1>>
  %to = memref.subview %x[0] [39999] [1] : memref<40000xf32> to memref<39999xf32, strided<[1]>>
  linalg.exp ins(%to : memref<39999xf32, strided<[1]>>) outs(%v : memref<39999xf32, strided<[1]>>)
  linalg.log ins(%w : memref<39999xf32, strided<[1], offset: 1>>) outs(%to : memref<39999xf32, strided<[1]>>)
  return
}

// -----

// Parts of rows that do not meet, and whole rows of a block.
// CHECK-LABEL: func.func @halves(
// CHECK-SAME:    %{{.*}}, %[[Y:.*]]: memref<1024x128xf32>, %[[Z:.*]]: memref
// CHECK:         commir.launch @halves_elementwise_0 {{.*}} outs(%[[Y]], %[[Z]] : memref<1024x128xf32>, memref<1024x128xf32>)
// CHECK-NEXT:    return
// CHECK:         memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [1024, 64], strides: [128, 1]
// CHECK:         memref.reinterpret_cast %{{.*}} to offset: [64], sizes: [1024, 64], strides: [128, 1]
func.func @halves(%x: memref<1024x64xf32>, %y: memref<1024x128xf32>, %z: memref<1024x128xf32>) {
  %left = memref.subview %y[0, 0] [1024, 64] [1, 1] : memref<1024x128xf32> to memref<1024x64xf32, strided<[128, 1]>>
  %right = memref.subview %y[0, 64] [1024, 64] [1, 1] : memref<1024x128xf32> to memref<1024x64xf32, strided<[128, 1], offset: 64>>
  linalg.exp ins(%x : memref<1024x64xf32>) outs(%left : memref<1024x64xf32, strided<[128, 1]>>)
  memref.copy %x, %right : memref<1024x64xf32> to memref<1024x64xf32, strided<[128, 1], offset: 64>>
  linalg.log ins(%y : memref<1024x128xf32>) outs(%z : memref<1024x128xf32>)
  return
}

// -----

// Windows that reach into the next row.
// CHECK-LABEL: func.func @windows(
// CHECK:         commir.launch @windows_elementwise_0
// CHECK-NEXT:    commir.launch @windows_elementwise_1
// CHECK-NEXT:    return
func.func @windows(%x: memref<100x50xf32>, %y: memref<5010xf32>, %z: memref<100x60xf32>) {
  %rows = memref.reinterpret_cast %y to offset: [0], sizes: [100, 50], strides: [50, 1] : memref<5010xf32> to memref<100x50xf32, strided<[50, 1]>>
  %windows = memref.reinterpret_cast %y to offset: [0], sizes: [100, 60], strides: [50, 1] : memref<5010xf32> to memref<100x60xf32, strided<[50, 1]>>
  linalg.exp ins(%x : memref<100x50xf32>) outs(%rows : memref<100x50xf32, strided<[50, 1]>>)
  linalg.log ins(%windows : memref<100x60xf32, strided<[50, 1]>>) outs(%z : memref<100x60xf32>)
  return
}

// -----

// What is gathered from any place must not be written in the same kernel.
// CHECK-LABEL: func.func @gather(
// CHECK:         commir.launch @gather_elementwise_0
// CHECK-NEXT:    commir.launch @gather_elementwise_1 ins(%{{.*}}, %{{.*}} : memref<64xindex>, memref<64x128xf32>)
// CHECK-NEXT:    return
func.func @gather(%ids: memref<64xindex>, %x: memref<64x128xf32>, %y: memref<64x128xf32>) {
  linalg.exp ins(%x : memref<64x128xf32>) outs(%x : memref<64x128xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%ids : memref<64xindex>) outs(%y : memref<64x128xf32>) {
  ^bb0(%id: index, %out: f32):
    %j = linalg.index 1 : index
    %0 = memref.load %x[%id, %j] : memref<64x128xf32>
    linalg.yield %0 : f32
  }
  return
}

// -----

// One block would have to do all for the sake of one more op.
// CHECK-LABEL: func.func @sum_of_all(
// CHECK:         commir.launch @sum_of_all_elementwise_0
// CHECK-NEXT:    commir.launch @sum_of_all_reduction_0
// CHECK-NEXT:    return
func.func @sum_of_all(%x: memref<512x512xf32>, %s: memref<f32>) {
  linalg.exp ins(%x : memref<512x512xf32>) outs(%x : memref<512x512xf32>)
  linalg.reduce { arith.addf } ins(%x : memref<512x512xf32>) outs(%s : memref<f32>) dimensions = [0, 1]
  return
}

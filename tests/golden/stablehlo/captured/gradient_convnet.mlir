module @topos {
  func.func @main(%arg0: tensor<2x1x2x2xf32>, %arg1: tensor<2xf32>, %arg2: tensor<1x1x4x4xf32>) -> (tensor<f32>, tensor<2x1x2x2xf32>, tensor<2xf32>) {
    %v3_starts = stablehlo.constant dense<[[[0], [1]], [[1], [2]], [[2], [3]]]> : tensor<3x2x1xi64>
    %v3 = "stablehlo.gather"(%arg2, %v3_starts) {dimension_numbers = #stablehlo.gather<offset_dims = [0, 1, 4], collapsed_slice_dims = [2], start_index_map = [2], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1, 4>} : (tensor<1x1x4x4xf32>, tensor<3x2x1xi64>) -> tensor<1x1x3x2x4xf32>
    %v4_starts = stablehlo.constant dense<[[[0], [1]], [[1], [2]], [[2], [3]]]> : tensor<3x2x1xi64>
    %v4 = "stablehlo.gather"(%v3, %v4_starts) {dimension_numbers = #stablehlo.gather<offset_dims = [0, 1, 2, 3], collapsed_slice_dims = [4], start_index_map = [4], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 3, 2, 1>} : (tensor<1x1x3x2x4xf32>, tensor<3x2x1xi64>) -> tensor<1x1x3x2x3x2xf32>
    %v5 = stablehlo.transpose %v4, dims = [0, 2, 4, 1, 3, 5] : (tensor<1x1x3x2x3x2xf32>) -> tensor<1x3x3x1x2x2xf32>
    %v6 = stablehlo.reshape %v5 : (tensor<1x3x3x1x2x2xf32>) -> tensor<9x4xf32>
    %v7 = stablehlo.transpose %arg0, dims = [1, 2, 3, 0] : (tensor<2x1x2x2xf32>) -> tensor<1x2x2x2xf32>
    %v8 = stablehlo.reshape %v7 : (tensor<1x2x2x2xf32>) -> tensor<4x2xf32>
    %v9 = stablehlo.dot_general %v6, %v8, contracting_dims = [1] x [0] : (tensor<9x4xf32>, tensor<4x2xf32>) -> tensor<9x2xf32>
    %v10 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<2xf32>) -> tensor<9x2xf32>
    %v11 = stablehlo.add %v9, %v10 : tensor<9x2xf32>
    %v12 = stablehlo.reshape %v11 : (tensor<9x2xf32>) -> tensor<1x3x3x2xf32>
    %v13 = stablehlo.transpose %v12, dims = [0, 3, 1, 2] : (tensor<1x3x3x2xf32>) -> tensor<1x2x3x3xf32>
    %v14 = stablehlo.constant dense<0.0> : tensor<1x2x3x3xf32>
    %v15 = stablehlo.maximum %v13, %v14 : tensor<1x2x3x3xf32>
    %v16_starts = stablehlo.constant dense<[[[0], [1]], [[1], [2]]]> : tensor<2x2x1xi64>
    %v16 = "stablehlo.gather"(%v15, %v16_starts) {dimension_numbers = #stablehlo.gather<offset_dims = [0, 1, 4], collapsed_slice_dims = [2], start_index_map = [2], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 2, 1, 3>} : (tensor<1x2x3x3xf32>, tensor<2x2x1xi64>) -> tensor<1x2x2x2x3xf32>
    %v17_starts = stablehlo.constant dense<[[[0], [1]], [[1], [2]]]> : tensor<2x2x1xi64>
    %v17 = "stablehlo.gather"(%v16, %v17_starts) {dimension_numbers = #stablehlo.gather<offset_dims = [0, 1, 2, 3], collapsed_slice_dims = [4], start_index_map = [4], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 2, 2, 2, 1>} : (tensor<1x2x2x2x3xf32>, tensor<2x2x1xi64>) -> tensor<1x2x2x2x2x2xf32>
    %v18 = stablehlo.transpose %v17, dims = [0, 1, 2, 4, 3, 5] : (tensor<1x2x2x2x2x2xf32>) -> tensor<1x2x2x2x2x2xf32>
    %v19 = stablehlo.reshape %v18 : (tensor<1x2x2x2x2x2xf32>) -> tensor<1x2x2x2x4xf32>
    %v20 = stablehlo.slice %v19 [0:1, 0:2, 0:2, 0:2, 0:1] : (tensor<1x2x2x2x4xf32>) -> tensor<1x2x2x2x1xf32>
    %v21 = stablehlo.slice %v19 [0:1, 0:2, 0:2, 0:2, 1:2] : (tensor<1x2x2x2x4xf32>) -> tensor<1x2x2x2x1xf32>
    %v22 = stablehlo.maximum %v20, %v21 : tensor<1x2x2x2x1xf32>
    %v23 = stablehlo.slice %v19 [0:1, 0:2, 0:2, 0:2, 2:3] : (tensor<1x2x2x2x4xf32>) -> tensor<1x2x2x2x1xf32>
    %v24 = stablehlo.maximum %v22, %v23 : tensor<1x2x2x2x1xf32>
    %v25 = stablehlo.slice %v19 [0:1, 0:2, 0:2, 0:2, 3:4] : (tensor<1x2x2x2x4xf32>) -> tensor<1x2x2x2x1xf32>
    %v26 = stablehlo.maximum %v24, %v25 : tensor<1x2x2x2x1xf32>
    %v27 = stablehlo.reshape %v26 : (tensor<1x2x2x2x1xf32>) -> tensor<1x2x2x2xf32>
    %v28_seed = stablehlo.constant dense<0.0> : tensor<f32>
    %v28 = stablehlo.reduce(%v27 init: %v28_seed) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<1x2x2x2xf32>, tensor<f32>) -> tensor<f32>
    %v29 = stablehlo.constant dense<1.0> : tensor<f32>
    %v30 = stablehlo.broadcast_in_dim %v29, dims = [] : (tensor<f32>) -> tensor<1x2x2x2xf32>
    %v31 = stablehlo.constant dense<0.0> : tensor<1x2x2x2xf32>
    %v32 = stablehlo.add %v31, %v30 : tensor<1x2x2x2xf32>
    %v33 = stablehlo.reshape %v32 : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2x1xf32>
    %v34 = stablehlo.constant dense<0.0> : tensor<1x2x2x2x1xf32>
    %v35 = stablehlo.add %v34, %v33 : tensor<1x2x2x2x1xf32>
    %v36_mask = stablehlo.compare GE, %v24, %v25, FLOAT : (tensor<1x2x2x2x1xf32>, tensor<1x2x2x2x1xf32>) -> tensor<1x2x2x2x1xi1>
    %v36_ones = stablehlo.constant dense<1.0> : tensor<1x2x2x2x1xf32>
    %v36_zeros = stablehlo.constant dense<0.0> : tensor<1x2x2x2x1xf32>
    %v36 = stablehlo.select %v36_mask, %v36_ones, %v36_zeros : tensor<1x2x2x2x1xi1>, tensor<1x2x2x2x1xf32>
    %v37 = stablehlo.multiply %v35, %v36 : tensor<1x2x2x2x1xf32>
    %v38 = stablehlo.constant dense<1.0> : tensor<1x2x2x2x1xf32>
    %v39 = stablehlo.subtract %v38, %v36 : tensor<1x2x2x2x1xf32>
    %v40 = stablehlo.multiply %v35, %v39 : tensor<1x2x2x2x1xf32>
    %v41 = stablehlo.constant dense<0.0> : tensor<1x2x2x2x1xf32>
    %v42 = stablehlo.add %v41, %v37 : tensor<1x2x2x2x1xf32>
    %v43 = stablehlo.constant dense<0.0> : tensor<1x2x2x2x1xf32>
    %v44 = stablehlo.add %v43, %v40 : tensor<1x2x2x2x1xf32>
    %v45_zero = stablehlo.constant dense<0.0> : tensor<f32>
    %v45 = stablehlo.pad %v44, %v45_zero, low = [0, 0, 0, 0, 3], high = [0, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x2x2x2x1xf32>, tensor<f32>) -> tensor<1x2x2x2x4xf32>
    %v46 = stablehlo.constant dense<0.0> : tensor<1x2x2x2x4xf32>
    %v47 = stablehlo.add %v46, %v45 : tensor<1x2x2x2x4xf32>
    %v48_mask = stablehlo.compare GE, %v22, %v23, FLOAT : (tensor<1x2x2x2x1xf32>, tensor<1x2x2x2x1xf32>) -> tensor<1x2x2x2x1xi1>
    %v48_ones = stablehlo.constant dense<1.0> : tensor<1x2x2x2x1xf32>
    %v48_zeros = stablehlo.constant dense<0.0> : tensor<1x2x2x2x1xf32>
    %v48 = stablehlo.select %v48_mask, %v48_ones, %v48_zeros : tensor<1x2x2x2x1xi1>, tensor<1x2x2x2x1xf32>
    %v49 = stablehlo.multiply %v42, %v48 : tensor<1x2x2x2x1xf32>
    %v50 = stablehlo.constant dense<1.0> : tensor<1x2x2x2x1xf32>
    %v51 = stablehlo.subtract %v50, %v48 : tensor<1x2x2x2x1xf32>
    %v52 = stablehlo.multiply %v42, %v51 : tensor<1x2x2x2x1xf32>
    %v53 = stablehlo.constant dense<0.0> : tensor<1x2x2x2x1xf32>
    %v54 = stablehlo.add %v53, %v49 : tensor<1x2x2x2x1xf32>
    %v55 = stablehlo.constant dense<0.0> : tensor<1x2x2x2x1xf32>
    %v56 = stablehlo.add %v55, %v52 : tensor<1x2x2x2x1xf32>
    %v57_zero = stablehlo.constant dense<0.0> : tensor<f32>
    %v57 = stablehlo.pad %v56, %v57_zero, low = [0, 0, 0, 0, 2], high = [0, 0, 0, 0, 1], interior = [0, 0, 0, 0, 0] : (tensor<1x2x2x2x1xf32>, tensor<f32>) -> tensor<1x2x2x2x4xf32>
    %v58 = stablehlo.add %v47, %v57 : tensor<1x2x2x2x4xf32>
    %v59_mask = stablehlo.compare GE, %v20, %v21, FLOAT : (tensor<1x2x2x2x1xf32>, tensor<1x2x2x2x1xf32>) -> tensor<1x2x2x2x1xi1>
    %v59_ones = stablehlo.constant dense<1.0> : tensor<1x2x2x2x1xf32>
    %v59_zeros = stablehlo.constant dense<0.0> : tensor<1x2x2x2x1xf32>
    %v59 = stablehlo.select %v59_mask, %v59_ones, %v59_zeros : tensor<1x2x2x2x1xi1>, tensor<1x2x2x2x1xf32>
    %v60 = stablehlo.multiply %v54, %v59 : tensor<1x2x2x2x1xf32>
    %v61 = stablehlo.constant dense<1.0> : tensor<1x2x2x2x1xf32>
    %v62 = stablehlo.subtract %v61, %v59 : tensor<1x2x2x2x1xf32>
    %v63 = stablehlo.multiply %v54, %v62 : tensor<1x2x2x2x1xf32>
    %v64 = stablehlo.constant dense<0.0> : tensor<1x2x2x2x1xf32>
    %v65 = stablehlo.add %v64, %v60 : tensor<1x2x2x2x1xf32>
    %v66 = stablehlo.constant dense<0.0> : tensor<1x2x2x2x1xf32>
    %v67 = stablehlo.add %v66, %v63 : tensor<1x2x2x2x1xf32>
    %v68_zero = stablehlo.constant dense<0.0> : tensor<f32>
    %v68 = stablehlo.pad %v67, %v68_zero, low = [0, 0, 0, 0, 1], high = [0, 0, 0, 0, 2], interior = [0, 0, 0, 0, 0] : (tensor<1x2x2x2x1xf32>, tensor<f32>) -> tensor<1x2x2x2x4xf32>
    %v69 = stablehlo.add %v58, %v68 : tensor<1x2x2x2x4xf32>
    %v70_zero = stablehlo.constant dense<0.0> : tensor<f32>
    %v70 = stablehlo.pad %v65, %v70_zero, low = [0, 0, 0, 0, 0], high = [0, 0, 0, 0, 3], interior = [0, 0, 0, 0, 0] : (tensor<1x2x2x2x1xf32>, tensor<f32>) -> tensor<1x2x2x2x4xf32>
    %v71 = stablehlo.add %v69, %v70 : tensor<1x2x2x2x4xf32>
    %v72 = stablehlo.reshape %v71 : (tensor<1x2x2x2x4xf32>) -> tensor<1x2x2x2x2x2xf32>
    %v73 = stablehlo.constant dense<0.0> : tensor<1x2x2x2x2x2xf32>
    %v74 = stablehlo.add %v73, %v72 : tensor<1x2x2x2x2x2xf32>
    %v75 = stablehlo.transpose %v74, dims = [0, 1, 2, 4, 3, 5] : (tensor<1x2x2x2x2x2xf32>) -> tensor<1x2x2x2x2x2xf32>
    %v76 = stablehlo.constant dense<0.0> : tensor<1x2x2x2x2x2xf32>
    %v77 = stablehlo.add %v76, %v75 : tensor<1x2x2x2x2x2xf32>
    %v78_weights = stablehlo.constant dense<[[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]]> : tensor<2x2x3xf32>
    %v78 = stablehlo.dot_general %v77, %v78_weights, contracting_dims = [4, 5] x [0, 1] : (tensor<1x2x2x2x2x2xf32>, tensor<2x2x3xf32>) -> tensor<1x2x2x2x3xf32>
    %v79 = stablehlo.constant dense<0.0> : tensor<1x2x2x2x3xf32>
    %v80 = stablehlo.add %v79, %v78 : tensor<1x2x2x2x3xf32>
    %v81_weights = stablehlo.constant dense<[[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]]> : tensor<2x2x3xf32>
    %v81_joined = stablehlo.dot_general %v80, %v81_weights, contracting_dims = [2, 3] x [0, 1] : (tensor<1x2x2x2x3xf32>, tensor<2x2x3xf32>) -> tensor<1x2x3x3xf32>
    %v81 = stablehlo.transpose %v81_joined, dims = [0, 1, 3, 2] : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
    %v82 = stablehlo.constant dense<0.0> : tensor<1x2x3x3xf32>
    %v83 = stablehlo.add %v82, %v81 : tensor<1x2x3x3xf32>
    %v84_mask = stablehlo.compare GE, %v13, %v14, FLOAT : (tensor<1x2x3x3xf32>, tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xi1>
    %v84_ones = stablehlo.constant dense<1.0> : tensor<1x2x3x3xf32>
    %v84_zeros = stablehlo.constant dense<0.0> : tensor<1x2x3x3xf32>
    %v84 = stablehlo.select %v84_mask, %v84_ones, %v84_zeros : tensor<1x2x3x3xi1>, tensor<1x2x3x3xf32>
    %v85 = stablehlo.multiply %v83, %v84 : tensor<1x2x3x3xf32>
    %v89 = stablehlo.constant dense<0.0> : tensor<1x2x3x3xf32>
    %v90 = stablehlo.add %v89, %v85 : tensor<1x2x3x3xf32>
    %v93 = stablehlo.transpose %v90, dims = [0, 2, 3, 1] : (tensor<1x2x3x3xf32>) -> tensor<1x3x3x2xf32>
    %v94 = stablehlo.constant dense<0.0> : tensor<1x3x3x2xf32>
    %v95 = stablehlo.add %v94, %v93 : tensor<1x3x3x2xf32>
    %v96 = stablehlo.reshape %v95 : (tensor<1x3x3x2xf32>) -> tensor<9x2xf32>
    %v97 = stablehlo.constant dense<0.0> : tensor<9x2xf32>
    %v98 = stablehlo.add %v97, %v96 : tensor<9x2xf32>
    %v99 = stablehlo.constant dense<0.0> : tensor<9x2xf32>
    %v100 = stablehlo.add %v99, %v98 : tensor<9x2xf32>
    %v101 = stablehlo.constant dense<0.0> : tensor<9x2xf32>
    %v102 = stablehlo.add %v101, %v98 : tensor<9x2xf32>
    %v103_seed = stablehlo.constant dense<0.0> : tensor<f32>
    %v103 = stablehlo.reduce(%v102 init: %v103_seed) applies stablehlo.add across dimensions = [0] : (tensor<9x2xf32>, tensor<f32>) -> tensor<2xf32>
    %v104 = stablehlo.constant dense<0.0> : tensor<2xf32>
    %v105 = stablehlo.add %v104, %v103 : tensor<2xf32>
    %v108 = stablehlo.transpose %v6, dims = [1, 0] : (tensor<9x4xf32>) -> tensor<4x9xf32>
    %v109 = stablehlo.dot_general %v108, %v100, contracting_dims = [1] x [0] : (tensor<4x9xf32>, tensor<9x2xf32>) -> tensor<4x2xf32>
    %v112 = stablehlo.constant dense<0.0> : tensor<4x2xf32>
    %v113 = stablehlo.add %v112, %v109 : tensor<4x2xf32>
    %v114 = stablehlo.reshape %v113 : (tensor<4x2xf32>) -> tensor<1x2x2x2xf32>
    %v115 = stablehlo.constant dense<0.0> : tensor<1x2x2x2xf32>
    %v116 = stablehlo.add %v115, %v114 : tensor<1x2x2x2xf32>
    %v117 = stablehlo.transpose %v116, dims = [3, 0, 1, 2] : (tensor<1x2x2x2xf32>) -> tensor<2x1x2x2xf32>
    %v118 = stablehlo.constant dense<0.0> : tensor<2x1x2x2xf32>
    %v119 = stablehlo.add %v118, %v117 : tensor<2x1x2x2xf32>
    return %v28, %v119, %v105 : tensor<f32>, tensor<2x1x2x2xf32>, tensor<2xf32>
  }
}

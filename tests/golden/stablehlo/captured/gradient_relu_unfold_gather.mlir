module @topos {
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<3x3xf32>, %arg2: tensor<3x2xf32>, %arg3: tensor<3x3xf32>) -> (tensor<f32>, tensor<3x2xf32>, tensor<8xf32>) {
    %v4_starts = stablehlo.constant dense<[[[0], [1], [2]], [[2], [3], [4]], [[4], [5], [6]]]> : tensor<3x3x1xi64>
    %v4 = "stablehlo.gather"(%arg0, %v4_starts) {dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1>} : (tensor<8xf32>, tensor<3x3x1xi64>) -> tensor<3x3xf32>
    %v5 = stablehlo.multiply %v4, %arg1 : tensor<3x3xf32>
    %v6 = stablehlo.constant dense<0.0> : tensor<3x3xf32>
    %v7 = stablehlo.maximum %v5, %v6 : tensor<3x3xf32>
    %v8_seed = stablehlo.constant dense<0.0> : tensor<f32>
    %v8 = stablehlo.reduce(%v7 init: %v8_seed) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x3xf32>, tensor<f32>) -> tensor<f32>
    %v9 = stablehlo.dot_general %arg3, %arg2, contracting_dims = [1] x [0] : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    %v10_seed = stablehlo.constant dense<0.0> : tensor<f32>
    %v10 = stablehlo.reduce(%v9 init: %v10_seed) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x2xf32>, tensor<f32>) -> tensor<f32>
    %v11 = stablehlo.add %v8, %v10 : tensor<f32>
    %v12 = stablehlo.constant dense<1.0> : tensor<f32>
    %v13 = stablehlo.constant dense<0.0> : tensor<f32>
    %v14 = stablehlo.add %v13, %v12 : tensor<f32>
    %v15 = stablehlo.constant dense<0.0> : tensor<f32>
    %v16 = stablehlo.add %v15, %v12 : tensor<f32>
    %v17 = stablehlo.broadcast_in_dim %v16, dims = [] : (tensor<f32>) -> tensor<3x2xf32>
    %v18 = stablehlo.constant dense<0.0> : tensor<3x2xf32>
    %v19 = stablehlo.add %v18, %v17 : tensor<3x2xf32>
    %v20 = stablehlo.dot_general %arg3, %v19, contracting_dims = [0] x [0] : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    %v21 = stablehlo.constant dense<0.0> : tensor<3x2xf32>
    %v22 = stablehlo.add %v21, %v20 : tensor<3x2xf32>
    %v23 = stablehlo.broadcast_in_dim %v14, dims = [] : (tensor<f32>) -> tensor<3x3xf32>
    %v24 = stablehlo.constant dense<0.0> : tensor<3x3xf32>
    %v25 = stablehlo.add %v24, %v23 : tensor<3x3xf32>
    %v26_mask = stablehlo.compare GE, %v5, %v6, FLOAT : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xi1>
    %v26_ones = stablehlo.constant dense<1.0> : tensor<3x3xf32>
    %v26_zeros = stablehlo.constant dense<0.0> : tensor<3x3xf32>
    %v26 = stablehlo.select %v26_mask, %v26_ones, %v26_zeros : tensor<3x3xi1>, tensor<3x3xf32>
    %v27 = stablehlo.multiply %v25, %v26 : tensor<3x3xf32>
    %v31 = stablehlo.constant dense<0.0> : tensor<3x3xf32>
    %v32 = stablehlo.add %v31, %v27 : tensor<3x3xf32>
    %v35 = stablehlo.multiply %v32, %arg1 : tensor<3x3xf32>
    %v37 = stablehlo.constant dense<0.0> : tensor<3x3xf32>
    %v38 = stablehlo.add %v37, %v35 : tensor<3x3xf32>
    %v41_weights = stablehlo.constant dense<[[[1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]], [[0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]], [[0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]]]> : tensor<3x3x8xf32>
    %v41 = stablehlo.dot_general %v38, %v41_weights, contracting_dims = [0, 1] x [0, 1] : (tensor<3x3xf32>, tensor<3x3x8xf32>) -> tensor<8xf32>
    %v42 = stablehlo.constant dense<0.0> : tensor<8xf32>
    %v43 = stablehlo.add %v42, %v41 : tensor<8xf32>
    return %v11, %v22, %v43 : tensor<f32>, tensor<3x2xf32>, tensor<8xf32>
  }
}

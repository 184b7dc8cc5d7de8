module @topos {
  func.func @main(%arg0: tensor<4x2xf32>, %arg1: tensor<1x1x3x3xf32>) -> (tensor<4x2xf32>, tensor<4x4xf32>) {
    %v2_starts = stablehlo.constant dense<[[[0], [1]], [[1], [2]]]> : tensor<2x2x1xi64>
    %v2 = "stablehlo.gather"(%arg1, %v2_starts) {dimension_numbers = #stablehlo.gather<offset_dims = [0, 1, 4], collapsed_slice_dims = [2], start_index_map = [2], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1, 3>} : (tensor<1x1x3x3xf32>, tensor<2x2x1xi64>) -> tensor<1x1x2x2x3xf32>
    %v3_starts = stablehlo.constant dense<[[[0], [1]], [[1], [2]]]> : tensor<2x2x1xi64>
    %v3 = "stablehlo.gather"(%v2, %v3_starts) {dimension_numbers = #stablehlo.gather<offset_dims = [0, 1, 2, 3], collapsed_slice_dims = [4], start_index_map = [4], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 2, 2, 1>} : (tensor<1x1x2x2x3xf32>, tensor<2x2x1xi64>) -> tensor<1x1x2x2x2x2xf32>
    %v4 = stablehlo.transpose %v3, dims = [0, 2, 4, 1, 3, 5] : (tensor<1x1x2x2x2x2xf32>) -> tensor<1x2x2x1x2x2xf32>
    %v5 = stablehlo.reshape %v4 : (tensor<1x2x2x1x2x2xf32>) -> tensor<4x4xf32>
    %v6 = stablehlo.dot_general %v5, %arg0, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
    return %v6, %v5 : tensor<4x2xf32>, tensor<4x4xf32>
  }
}

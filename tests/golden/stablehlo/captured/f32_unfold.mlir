module @topos {
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<2x5x3xf32>) -> (tensor<3x3xf32>, tensor<2x3x2x3xf32>) {
    %v2_starts = stablehlo.constant dense<[[[0], [1], [2]], [[2], [3], [4]], [[4], [5], [6]]]> : tensor<3x3x1xi64>
    %v2 = "stablehlo.gather"(%arg0, %v2_starts) {dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1>} : (tensor<8xf32>, tensor<3x3x1xi64>) -> tensor<3x3xf32>
    %v3_starts = stablehlo.constant dense<[[[0], [2]], [[1], [3]], [[2], [4]]]> : tensor<3x2x1xi64>
    %v3 = "stablehlo.gather"(%arg1, %v3_starts) {dimension_numbers = #stablehlo.gather<offset_dims = [0, 3], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 2, 1, 3>} : (tensor<2x5x3xf32>, tensor<3x2x1xi64>) -> tensor<2x3x2x3xf32>
    return %v2, %v3 : tensor<3x3xf32>, tensor<2x3x2x3xf32>
  }
}

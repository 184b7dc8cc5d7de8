module @topos {
  func.func @main(%arg0: tensor<4x2xf32>, %arg1: tensor<1x1x3x3xf32>) -> (tensor<4x2xf32>) {
    %v6_kernel = stablehlo.reshape %arg0 : (tensor<4x2xf32>) -> tensor<1x2x2x2xf32>
    %v6_windows = stablehlo.convolution(%arg1, %v6_kernel) dim_numbers = [b, f, 0, 1]x[i, 0, 1, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x1x3x3xf32>, tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
    %v6 = stablehlo.reshape %v6_windows : (tensor<1x2x2x2xf32>) -> tensor<4x2xf32>
    return %v6 : tensor<4x2xf32>
  }
}

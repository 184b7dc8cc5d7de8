module @topos {
  func.func @main(%arg0: tensor<2x2x2x2xbf16>, %arg1: tensor<2xbf16>, %arg2: tensor<1x2x4x4xbf16>) -> (tensor<1x2x4x4xbf16>) {
    %v9 = stablehlo.transpose %arg0, dims = [1, 2, 3, 0] : (tensor<2x2x2x2xbf16>) -> tensor<2x2x2x2xbf16>
    %v10 = stablehlo.reshape %v9 : (tensor<2x2x2x2xbf16>) -> tensor<8x2xbf16>
    %v11_kernel = stablehlo.reshape %v10 : (tensor<8x2xbf16>) -> tensor<2x2x2x2xbf16>
    %v11_accumulated = stablehlo.convolution(%arg2, %v11_kernel) dim_numbers = [b, f, 0, 1]x[i, 0, 1, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x4x4xbf16>, tensor<2x2x2x2xbf16>) -> tensor<1x5x5x2xf32>
    %v11_windows = stablehlo.convert %v11_accumulated : (tensor<1x5x5x2xf32>) -> tensor<1x5x5x2xbf16>
    %v11 = stablehlo.reshape %v11_windows : (tensor<1x5x5x2xbf16>) -> tensor<25x2xbf16>
    %v12 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<2xbf16>) -> tensor<25x2xbf16>
    %v13 = stablehlo.add %v11, %v12 : tensor<25x2xbf16>
    %v14 = stablehlo.reshape %v13 : (tensor<25x2xbf16>) -> tensor<1x5x5x2xbf16>
    %v15 = stablehlo.transpose %v14, dims = [0, 3, 1, 2] : (tensor<1x5x5x2xbf16>) -> tensor<1x2x5x5xbf16>
    %v27_seed = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %v27 = "stablehlo.reduce_window"(%v15, %v27_seed) ({
    ^bb0(%v27_left: tensor<bf16>, %v27_right: tensor<bf16>):
      %v27_larger = stablehlo.maximum %v27_left, %v27_right : tensor<bf16>
      stablehlo.return %v27_larger : tensor<bf16>
    }) {window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 1, 1>} : (tensor<1x2x5x5xbf16>, tensor<bf16>) -> tensor<1x2x4x4xbf16>
    return %v27 : tensor<1x2x4x4xbf16>
  }
}

module @topos {
  func.func @main(%arg0: tensor<2x3xbf16>, %arg1: tensor<5x2x3xbf16>, %arg2: tensor<3x4xbf16>, %arg3: tensor<5x3x4xbf16>) -> (tensor<2x4xbf16>, tensor<5x2x4xbf16>) {
    %v4_accumulated = stablehlo.dot_general %arg0, %arg2, contracting_dims = [1] x [0] : (tensor<2x3xbf16>, tensor<3x4xbf16>) -> tensor<2x4xf32>
    %v4 = stablehlo.convert %v4_accumulated : (tensor<2x4xf32>) -> tensor<2x4xbf16>
    %v5_accumulated = stablehlo.dot_general %arg1, %arg3, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<5x2x3xbf16>, tensor<5x3x4xbf16>) -> tensor<5x2x4xf32>
    %v5 = stablehlo.convert %v5_accumulated : (tensor<5x2x4xf32>) -> tensor<5x2x4xbf16>
    return %v4, %v5 : tensor<2x4xbf16>, tensor<5x2x4xbf16>
  }
}

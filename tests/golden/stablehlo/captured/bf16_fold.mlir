module @topos {
  func.func @main(%arg0: tensor<3x3xbf16>, %arg1: tensor<3x2x4xbf16>) -> (tensor<8xbf16>, tensor<4x4xbf16>) {
    %v2_weights = stablehlo.constant dense<[[[1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]], [[0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]], [[0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]]]> : tensor<3x3x8xbf16>
    %v2_accumulated = stablehlo.dot_general %arg0, %v2_weights, contracting_dims = [0, 1] x [0, 1] : (tensor<3x3xbf16>, tensor<3x3x8xbf16>) -> tensor<8xf32>
    %v2 = stablehlo.convert %v2_accumulated : (tensor<8xf32>) -> tensor<8xbf16>
    %v3_weights = stablehlo.constant dense<[[[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]], [[0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]]> : tensor<3x2x4xbf16>
    %v3_accumulated = stablehlo.dot_general %arg1, %v3_weights, contracting_dims = [0, 1] x [0, 1] : (tensor<3x2x4xbf16>, tensor<3x2x4xbf16>) -> tensor<4x4xf32>
    %v3_joined = stablehlo.convert %v3_accumulated : (tensor<4x4xf32>) -> tensor<4x4xbf16>
    %v3 = stablehlo.transpose %v3_joined, dims = [1, 0] : (tensor<4x4xbf16>) -> tensor<4x4xbf16>
    return %v2, %v3 : tensor<8xbf16>, tensor<4x4xbf16>
  }
}

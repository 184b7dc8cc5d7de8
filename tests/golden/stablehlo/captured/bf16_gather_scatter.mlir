module @topos {
  func.func @main(%arg0: tensor<3x2xbf16>, %arg1: tensor<2x3xbf16>) -> (tensor<2x2xbf16>, tensor<3x2xbf16>) {
    %v2 = stablehlo.dot_general %arg1, %arg0, contracting_dims = [1] x [0] : (tensor<2x3xbf16>, tensor<3x2xbf16>) -> tensor<2x2xbf16>
    %v3_accumulated = stablehlo.dot_general %arg1, %v2, contracting_dims = [0] x [0] : (tensor<2x3xbf16>, tensor<2x2xbf16>) -> tensor<3x2xf32>
    %v3 = stablehlo.convert %v3_accumulated : (tensor<3x2xf32>) -> tensor<3x2xbf16>
    return %v2, %v3 : tensor<2x2xbf16>, tensor<3x2xbf16>
  }
}

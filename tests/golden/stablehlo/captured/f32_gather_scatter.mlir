module @topos {
  func.func @main(%arg0: tensor<3x2xf32>, %arg1: tensor<4x3xf32>) -> (tensor<4x2xf32>, tensor<3x2xf32>) {
    %v2 = stablehlo.dot_general %arg1, %arg0, contracting_dims = [1] x [0] : (tensor<4x3xf32>, tensor<3x2xf32>) -> tensor<4x2xf32>
    %v3 = stablehlo.dot_general %arg1, %v2, contracting_dims = [0] x [0] : (tensor<4x3xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
    return %v2, %v3 : tensor<4x2xf32>, tensor<3x2xf32>
  }
}

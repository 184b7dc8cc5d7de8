module @topos {
  func.func @main(%arg0: tensor<3x2x2xf32>, %arg1: tensor<3xf32>) -> (tensor<2x2x2xf32>, tensor<2xf32>, tensor<3x2x2xf32>) {
    %v2 = stablehlo.constant dense<[[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]> : tensor<2x3xf32>
    %v3 = stablehlo.dot_general %v2, %arg0, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x2x2xf32>) -> tensor<2x2x2xf32>
    %v4 = stablehlo.dot_general %v2, %arg1, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2xf32>
    %v5 = stablehlo.dot_general %v2, %v3, contracting_dims = [0] x [0] : (tensor<2x3xf32>, tensor<2x2x2xf32>) -> tensor<3x2x2xf32>
    return %v3, %v4, %v5 : tensor<2x2x2xf32>, tensor<2xf32>, tensor<3x2x2xf32>
  }
}

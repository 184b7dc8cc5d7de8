module @topos {
  func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>, %arg2: tensor<f32>) -> (tensor<3x2xf32>, tensor<3xf32>, tensor<f32>) {
    %v3 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %v4 = stablehlo.transpose %arg1, dims = [0] : (tensor<3xf32>) -> tensor<3xf32>
    %v5 = stablehlo.transpose %arg2, dims = [] : (tensor<f32>) -> tensor<f32>
    return %v3, %v4, %v5 : tensor<3x2xf32>, tensor<3xf32>, tensor<f32>
  }
}

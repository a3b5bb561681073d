namespace QuickSilver.Dashboard.Json;

/// <summary>A node in the matrix of members and regions.</summary>
/// <param name="Id">Address and incarnation.</param>
/// <param name="Name">Its name.</param>
/// <param name="In">Which of the regions of the page it is in, by their places.</param>
internal sealed record MatrixRow(string Id, string Name, IReadOnlyList<int> In);

namespace QuickSilver.Security;

/// <summary>A connection whose other side has proven itself.</summary>
/// <param name="Stream">The encrypted stream, which owns what is below it but for the socket.</param>
/// <param name="Identity">The proven name of the other side; empty where a shared key proves none.</param>
internal readonly record struct SecuredStream(Stream Stream, string Identity);

namespace QuickSilver;

/// <summary>Refuses what is declared but not built yet.</summary>
internal static class Unsupported
{
    /// <summary>Makes the exception.</summary>
    public static QuickSilverException Feature(string name) => new(ErrorCode.NotSupported, $"{name}: not built yet.");
}

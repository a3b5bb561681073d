namespace QuickSilver.TestPrograms;

/// <summary>What a program prints.</summary>
internal enum OutputKind
{
    /// <summary>Each message.</summary>
    Full,

    /// <summary>One line a second.</summary>
    Quiet,

    /// <summary>Progress as JSON lines, for programs.</summary>
    Json,
}

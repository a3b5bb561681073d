namespace QuickSilver.Cli.Doctor;

/// <summary>What a check has found.</summary>
/// <param name="Severity">How bad it is.</param>
/// <param name="What">What was found, as a sentence.</param>
/// <param name="Remedy">What to do about it, as a sentence; empty if there is nothing to do.</param>
internal sealed record Finding(Severity Severity, string What, string Remedy = "")
{
    /// <summary>It is in order.</summary>
    public static Finding Good(string what) => new(Severity.Good, what);

    /// <summary>It was not looked at, or costs nothing but speed.</summary>
    public static Finding Note(string what, string remedy = "") => new(Severity.Note, what, remedy);

    /// <summary>It is wrong.</summary>
    public static Finding Trouble(string what, string remedy) => new(Severity.Trouble, what, remedy);
}

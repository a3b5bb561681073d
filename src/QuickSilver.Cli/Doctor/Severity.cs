namespace QuickSilver.Cli.Doctor;

/// <summary>How bad a finding is.</summary>
internal enum Severity
{
    /// <summary>It was looked at, and is in order.</summary>
    Good,

    /// <summary>It was not looked at, or costs nothing but speed.</summary>
    Note,

    /// <summary>Something is wrong, and has a remedy.</summary>
    Trouble,
}

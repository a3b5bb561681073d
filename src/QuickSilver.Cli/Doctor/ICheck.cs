namespace QuickSilver.Cli.Doctor;

/// <summary>Judges one thing that can be wrong. A check looks at what was gathered and asks nobody.</summary>
internal interface ICheck
{
    /// <summary>What it looks at, in a word.</summary>
    string Name { get; }

    /// <summary>Returns what it finds: one finding at least.</summary>
    IEnumerable<Finding> Look(Scene scene);
}

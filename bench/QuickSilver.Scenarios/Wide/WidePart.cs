namespace QuickSilver.Scenarios.Wide;

/// <summary>What of the paper is drawn again.</summary>
internal enum WidePart
{
    /// <summary>Table 2 and figures 3 to 8.</summary>
    Chain,

    /// <summary>Table 1.</summary>
    Trees,

    /// <summary>Table 3, with a narrow link as the paper's.</summary>
    Narrow,

    /// <summary>Table 3, with a link of ten megabits a second.</summary>
    Link,

    /// <summary>Table 4.</summary>
    Tree,
}

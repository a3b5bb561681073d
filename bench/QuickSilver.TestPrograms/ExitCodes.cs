namespace QuickSilver.TestPrograms;

/// <summary>How the programs end.</summary>
internal static class ExitCodes
{
    /// <summary>All went as asked.</summary>
    public const int Success = 0;

    /// <summary>The command line is wrong, or the node failed; the reason is on standard error.</summary>
    public const int Error = 1;

    /// <summary>A message was damaged, misdirected, missing or out of order, or more came than were expected.</summary>
    public const int CheckFailed = 2;

    /// <summary>The time was up before all was done.</summary>
    public const int TimedOut = 3;

    /// <summary>For <c>--help</c>.</summary>
    public const string Help =
        "Ends with 0 when all went as asked, 1 for a wrong command line or a failed node, "
        + "2 when a message was damaged, misdirected, missing or out of order, 3 when the time was up.";
}

namespace QuickSilver;

/// <summary>Refuses what is declared but not built yet, and says what to do meanwhile.</summary>
internal static class Unsupported
{
    /// <summary>A reader that groups share.</summary>
    public static QuickSilverException SharedInboxes => Make("Shared inboxes", "read each group by its own handle");

    /// <summary>A handle that sends without joining.</summary>
    public static QuickSilverException SendOnlyHandles => Make("Send-only handles", "join the group, with GroupOptions.HoldUntilRead = false");

    /// <summary>A group with an address of its own.</summary>
    public static QuickSilverException HybridGroups => Make("Hybrid groups", "leave GroupOptions.Hybrid false");

    /// <summary>A message that is written bit by bit.</summary>
    public static QuickSilverException MessageStreams => Make("Message streams", "use the SendAsync that takes a writer");

    private static QuickSilverException Make(string names, string instead) =>
        new(ErrorCode.NotSupported, $"{names} are declared, but not built yet: {instead}.");
}

namespace QuickSilver.WideArea.Links;

/// <summary>What a connection tells the loop.</summary>
internal enum StreamEventKind
{
    /// <summary>It stands: both ends have proven themselves.</summary>
    Opened,

    /// <summary>A datagram has come.</summary>
    Datagram,

    /// <summary>It takes more again.</summary>
    Room,

    /// <summary>It has ended; nothing of it follows.</summary>
    Ended,
}

namespace QuickSilver.Testing.Network;

/// <summary>Which ways through the network lose at the same times.</summary>
internal enum LossScope : byte
{
    /// <summary>Each directed link for itself.</summary>
    Link,

    /// <summary>All ways from one sender: its interface or cable is to blame.</summary>
    Sender,

    /// <summary>All ways to one receiver.</summary>
    Receiver,
}

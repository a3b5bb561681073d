namespace QuickSilver.Protocol.Delivery;

/// <summary>Why a message will never be delivered here.</summary>
public enum LossCause : byte
{
    /// <summary>Its sender was removed, and no live member holds it.</summary>
    SenderFailed = 0,

    /// <summary>The view it was sent in was abandoned.</summary>
    ViewAbandoned = 1,
}

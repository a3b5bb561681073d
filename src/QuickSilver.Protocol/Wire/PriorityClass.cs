namespace QuickSilver.Protocol.Wire;

/// <summary>
/// The one order in which things are received and sent (smaller first). The papers had two classes, control and data, and found
/// that repairs, ranked as control, overtook the tokens that would have made them unnecessary (second paper, section 5.3).
/// </summary>
public enum PriorityClass : byte
{
    /// <summary>Tokens, their acknowledgements, and feedback to senders.</summary>
    Token = 0,

    /// <summary>NAKs and pulls.</summary>
    Request = 1,

    /// <summary>Membership.</summary>
    Membership = 2,

    /// <summary>Repairs, within their budget.</summary>
    Repair = 3,

    /// <summary>Data and beacons.</summary>
    Data = 4,
}

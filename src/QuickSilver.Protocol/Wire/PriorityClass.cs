namespace QuickSilver.Protocol.Wire;

/// <summary>
/// The one order in which datagrams are received and sent (smaller first). The papers had two classes, control and
/// data. Repairs, ranked as control, overtook the tokens that would have made them unnecessary (second paper, section
/// 5.3). Frames of the membership server have no class: they come over a channel of their own, and reach the loop as
/// requests.
/// </summary>
internal enum PriorityClass : byte
{
    /// <summary>Tokens, their acknowledgements, and feedback to senders.</summary>
    Token = 0,

    /// <summary>NAKs and pulls.</summary>
    Request = 1,

    /// <summary>Repairs, within their budget.</summary>
    Repair = 2,

    /// <summary>Data and beacons.</summary>
    Data = 3,
}

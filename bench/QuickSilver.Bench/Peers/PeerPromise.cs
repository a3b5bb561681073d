namespace QuickSilver.Bench.Peers;

/// <summary>What a system promises, in the fewest words: a rate means little without it.</summary>
/// <param name="Delivery">What becomes of a lost or late message.</param>
/// <param name="Order">Of messages.</param>
/// <param name="ReceiverCrash">What a receiver's death does to the others.</param>
/// <param name="Between">What stands between sender and receivers.</param>
internal sealed record PeerPromise(string Delivery, string Order, string ReceiverCrash, string Between);

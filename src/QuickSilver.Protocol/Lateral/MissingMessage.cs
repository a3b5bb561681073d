using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Protocol.Lateral;

/// <summary>A message that exists and has not come.</summary>
/// <param name="Number">Its number.</param>
/// <param name="Found">When it was found missing.</param>
/// <param name="Due">When it is asked for next.</param>
/// <param name="Tries">How often it has been asked for.</param>
/// <param name="Asked">When it was asked for first; meaningless before.</param>
/// <param name="Holder">A node that named it in a repair, and so has it; null: none is known.</param>
internal readonly record struct MissingMessage(
    ulong Number, Instant Found, Instant Due, int Tries, Instant Asked, NodeInfo? Holder);

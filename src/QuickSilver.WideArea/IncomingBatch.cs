using QuickSilver.Protocol.Sites;

namespace QuickSilver.WideArea;

/// <summary>What a record of another site brought, on its way to the group here.</summary>
/// <param name="Stream">The stream.</param>
/// <param name="Number">The record's number: all up to it is taken once the messages are published.</param>
/// <param name="Messages">The messages that ended in it.</param>
internal readonly record struct IncomingBatch(
    StreamId Stream, ulong Number, IReadOnlyList<IncomingMessage> Messages);

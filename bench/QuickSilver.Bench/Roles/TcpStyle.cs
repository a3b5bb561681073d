namespace QuickSilver.Bench.Roles;

/// <summary>How a TCP fan-out is written.</summary>
internal enum TcpStyle
{
    /// <summary>A pipe and a pump for each connection, asynchronous throughout: what the framework's guide
    /// teaches.</summary>
    Pipelines,

    /// <summary>One thread that writes each batch to every connection in turn with blocking calls: the least that TCP
    /// can cost.</summary>
    Blocking,
}

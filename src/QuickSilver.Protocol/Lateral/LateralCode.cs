namespace QuickSilver.Protocol.Lateral;

/// <summary>How a node builds the repairs that it sends. Receivers understand both.</summary>
internal enum LateralCode : byte
{
    /// <summary>As the paper has it: exclusive or, r packets a repair, the number of targets drawn for each.</summary>
    Xor,

    /// <summary>Coefficients in GF(256), a bin for each peer, always one target.</summary>
    Field,
}

namespace QuickSilver.TestPrograms;

/// <summary>What <see cref="MessageChecker"/> finds wrong with a message.</summary>
internal enum CheckFault
{
    /// <summary>Nothing.</summary>
    None,

    /// <summary>The checksum does not fit, or a generated payload was expected and something else came.</summary>
    Damaged,

    /// <summary>The payload names another publisher than the message does.</summary>
    WrongPublisher,

    /// <summary>The payload names another group than the one it came in.</summary>
    WrongGroup,

    /// <summary>Messages between this one and the one before it are missing.</summary>
    Gap,

    /// <summary>This one, or a later one, had come before.</summary>
    OutOfOrder,
}
